-- Puts off a match that could not be begun, without an attempt being counted. ARGV: match, ms.
local k = match_keys()
if redis.call('HGET', k.match, 'state') ~= 'queued' then
  return 0
end
redis.call('ZREM', k.sent, ARGV[1])
redis.call('ZADD', k.due, now_ms() + tonumber(ARGV[2]), ARGV[1])
return 1
