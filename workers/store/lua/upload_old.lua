-- Forgets what was begun to be sent and not touched for so long. KEYS: uploads, contents.
-- ARGV: milliseconds. Answers the fields.
local oldest, gone = now_us() - ARGV[1] * 1000, {}
local all = redis.call('HGETALL', KEYS[1])
for i = 1, #all, 2 do
  local touched = tonumber(string.match(all[i + 1], '%d+$'))
  if touched < oldest and not is_open(redis.call('HGET', KEYS[2], all[i])) then
    gone[#gone + 1] = all[i]
    redis.call('HDEL', KEYS[1], all[i])
  end
end
return gone
