-- Ends an attempt whose replay lies sealed on disk. ARGV: match, fence.
-- Answers 1 (a second call too), or 0 when the match belongs to somebody else by now.
local k = match_keys()
local match = redis.call('HMGET', k.match, 'state', 'fence')
if match[2] ~= ARGV[2] or (match[1] ~= 'running' and match[1] ~= 'sealed') then
  return 0
end
redis.call('HSET', k.match, 'state', 'sealed')
redis.call('HDEL', k.match, 'progress')
forget_shortage(k)
forget_declines(k)
redis.call('ZREM', k.leases, ARGV[1])
redis.call('ZADD', k.sealed, now_ms(), ARGV[1])
return 1
