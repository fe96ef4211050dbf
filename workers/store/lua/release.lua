-- Puts back a running match whose worker is told to stop; no attempt is counted, it is due at once.
-- ARGV: match, fence.
local k = match_keys()
local match = redis.call('HMGET', k.match, 'state', 'fence')
if match[1] ~= 'running' or match[2] ~= ARGV[2] then
  return 0
end
local now = now_ms()
take_back(k, ARGV[1])
if not left(k, now) then
  redis.call('HSET', k.match, 'state', 'queued')
  redis.call('ZADD', k.due, now, ARGV[1])
end
return 1
