-- Puts back a running match whose worker is told to stop; no attempt is counted, it is due at once.
-- ARGV: match, fence.
local k = match_keys()
local match = redis.call('HMGET', k.match, 'state', 'fence')
if match[1] ~= 'running' or match[2] ~= ARGV[2] then
  return 0
end
redis.call('HSET', k.match, 'state', 'queued')
redis.call('HDEL', k.match, 'progress')
redis.call('ZREM', k.leases, ARGV[1])
redis.call('ZADD', k.due, now_ms(), ARGV[1])
return 1
