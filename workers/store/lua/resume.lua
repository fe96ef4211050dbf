-- Queues a dead match again; what it was given up for no longer counts, and its tournament runs on.
-- ARGV: match. Answers 1, or 0 when it is not dead.
local k = match_keys()
if redis.call('HGET', k.match, 'state') ~= 'dead' then
  return 0
end
redis.call('HSET', k.match, 'state', 'queued', 'forgiven', redis.call('LLEN', k.attempts))
forget_declines(k)
forget_shortage(k)
redis.call('HDEL', k.match, 'waits_for', 'waits_ms')
redis.call('ZADD', k.due, now_ms(), ARGV[1])
redis.call('HINCRBY', k.tournament, 'dead', -1)
redis.call('ZREM', k.tournament .. ':dead', redis.call('HGET', k.match, 'number'))
redis.call('HSET', k.tournament, 'state', 'running', 'over_ms', 0)
redis.call('SADD', k.topup, redis.call('HGET', k.tournament, 'id'))
return 1
