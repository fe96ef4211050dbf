-- Ends a tournament for good: what is not played is void, what is in play too; what is played and
-- not recorded yet is recorded, and only then it is over. KEYS: tournament, topup, sent, due,
-- leases, sealed, its dead, log, head, the tournament's log. ARGV: id, prefix of match keys, head
-- the entry was made for, number, text and hash of the entry.
-- Answers 'closed', 'over' (nothing was left to close), or 'moved' (make the entry again).
local t = redis.call('HMGET', KEYS[1], 'state', 'total', 'recorded', 'dead', 'over_ms')
if t[1] == 'closing' or (t[1] == 'over' and tonumber(t[4]) == 0) then
  return 'over'
elseif (redis.call('HGET', KEYS[9], 'hash') or '') ~= ARGV[3] then
  return 'moved'
end
local prefix, played = ARGV[1] .. '.', 0
local function own(key)
  local found = {}
  for _, id in ipairs(redis.call('ZRANGE', key, 0, -1)) do
    if string.sub(id, 1, #prefix) == prefix then
      found[#found + 1] = id
    end
  end
  return found
end
for at = 3, 5 do
  for _, id in ipairs(own(KEYS[at])) do
    mark_void(ARGV[2] .. id, 'closed')
    redis.call('ZREM', KEYS[at], id)
  end
end
for _, id in ipairs(own(KEYS[6])) do
  redis.call('HSET', ARGV[2] .. id, 'leaving', 'closed')
  played = played + 1
end
for _, number in ipairs(redis.call('ZRANGE', KEYS[7], 0, -1)) do
  mark_void(ARGV[2] .. prefix .. number, 'closed')
end
redis.call('DEL', KEYS[7], KEYS[1] .. ':waiting')
redis.call('SREM', KEYS[2], ARGV[1])
local over_ms = t[1] == 'over' and t[5] or now_ms()
redis.call('HSET', KEYS[1], 'closed', 1, 'dead', 0, 'void', t[2] - t[3] - played,
  'state', played > 0 and 'closing' or 'over', 'over_ms', played > 0 and 0 or over_ms)
append(KEYS[8], KEYS[9], KEYS[10], ARGV[4], ARGV[5], ARGV[6])
redis.call('HINCRBY', KEYS[9], 'notes', 1)
return 'closed'
