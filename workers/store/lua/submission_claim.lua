-- Takes a submission for one attempt. KEYS: submission, open, lines. ARGV: id, lease in milliseconds.
-- Answers {fence, attempts}, or {word}: 'unknown', 'over', 'held'.
local s = redis.call('HMGET', KEYS[1], 'state', 'lease')
local now = now_ms()
if not s[1] then
  redis.call('ZREM', KEYS[2], ARGV[1])
  return { 'unknown' }
elseif s[1] == 'accepted' or s[1] == 'refused' then
  redis.call('ZREM', KEYS[2], ARGV[1])
  return { 'over' }
elseif tonumber(s[2]) > now then
  return { 'held' }
end
redis.call('HSET', KEYS[1], 'lease', now + ARGV[2])
redis.call('ZADD', KEYS[2], now + ARGV[2], ARGV[1])
redis.call('DEL', KEYS[3])
redis.call('HDEL', KEYS[1], 'checks')
return { redis.call('HINCRBY', KEYS[1], 'fence', 1), redis.call('HINCRBY', KEYS[1], 'attempts', 1) }
