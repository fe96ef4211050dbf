-- Keeps what was read in the log of a ladder's day. KEYS: the day's tournament, streaks, benched.
-- ARGV: entries read before, and now; streaks and benched as JSON: {name = text}.
-- Answers 1, or 0 when somebody else has read on.
if (redis.call('HGET', KEYS[1], 'noted') or '0') ~= ARGV[1] then
  return 0
end
redis.call('HSET', KEYS[1], 'noted', ARGV[2])
for name, text in pairs(cjson.decode(ARGV[3])) do
  redis.call('HSET', KEYS[2], name, text)
end
for name, text in pairs(cjson.decode(ARGV[4])) do
  redis.call('HSET', KEYS[3], name, text)
end
return 1
