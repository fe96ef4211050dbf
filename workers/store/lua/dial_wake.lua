-- Takes matches that wait for a bot, the longest first, as sent from now on: not more than it may begin,
-- none while it is away. KEYS: the bot's agent, what it holds, what waits for it, due, sent, leases.
-- ARGV: most, prefix of match keys. Answers their ids.
local now, ids = now_ms(), {}
local most = math.min(tonumber(ARGV[1]), room_of(KEYS[1], KEYS[2], KEYS[6], now) or 0)
for _, id in ipairs(redis.call('ZRANGE', KEYS[3], 0, -1)) do
  if #ids >= most then
    break
  end
  local match = redis.call('HMGET', ARGV[2] .. id, 'state', 'waits_for')
  if match[1] ~= 'queued' or not match[2] then
    redis.call('ZREM', KEYS[3], id)
  elseif redis.call('ZREM', KEYS[4], id) == 1 then
    redis.call('ZADD', KEYS[5], now, id)
    ids[#ids + 1] = id
  end
end
return ids
