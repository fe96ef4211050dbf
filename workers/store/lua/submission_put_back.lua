-- Ends an attempt without a verdict. KEYS: submission, open. ARGV: id, fence, milliseconds until the
-- next one, 1 where this one does not count. Answers 1, or 0 where it is not the running one.
local s = redis.call('HMGET', KEYS[1], 'fence', 'lease')
if s[1] ~= ARGV[2] or s[2] == '0' then
  return 0
end
redis.call('HSET', KEYS[1], 'state', 'uploaded', 'changed_ms', now_ms(), 'lease', 0)
redis.call('HINCRBY', KEYS[1], 'attempts', -ARGV[4])
redis.call('ZADD', KEYS[2], now_ms() + ARGV[3], ARGV[1])
return 1
