-- Takes matches that wait for a bot, the longest first, as sent from now on. KEYS: what waits for the
-- bot, due, sent. ARGV: most, prefix of match keys. Answers their ids.
local now, ids = now_ms(), {}
for _, id in ipairs(redis.call('ZRANGE', KEYS[1], 0, -1)) do
  if #ids == tonumber(ARGV[1]) then
    break
  end
  local match = redis.call('HMGET', ARGV[2] .. id, 'state', 'waits_for')
  if match[1] ~= 'queued' or not match[2] then
    redis.call('ZREM', KEYS[1], id)
  elseif redis.call('ZREM', KEYS[2], id) == 1 then
    redis.call('ZADD', KEYS[3], now, id)
    ids[#ids + 1] = id
  end
end
return ids
