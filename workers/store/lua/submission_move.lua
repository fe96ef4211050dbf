-- Renews an attempt's claim, and writes down how far it is. KEYS: submission, open, lines.
-- ARGV: id, fence, lease in milliseconds, state ('': as it was), fields as JSON, lines as JSON, most
-- lines. Answers 1, or 0 where the attempt is not the running one any more.
local s = redis.call('HMGET', KEYS[1], 'fence', 'lease', 'state')
local now = now_ms()
if s[1] ~= ARGV[2] or s[2] == '0' or s[3] == 'accepted' or s[3] == 'refused' then
  return 0
end
redis.call('HSET', KEYS[1], 'lease', now + ARGV[3])
redis.call('ZADD', KEYS[2], now + ARGV[3], ARGV[1])
if ARGV[4] ~= '' then
  redis.call('HSET', KEYS[1], 'state', ARGV[4], 'changed_ms', now)
end
for field, value in pairs(cjson.decode(ARGV[5])) do
  redis.call('HSET', KEYS[1], field, value)
end
for _, line in ipairs(cjson.decode(ARGV[6])) do
  if redis.call('LLEN', KEYS[3]) < tonumber(ARGV[7]) then
    redis.call('RPUSH', KEYS[3], line)
  end
end
return 1
