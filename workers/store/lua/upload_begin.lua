-- Notes what an owner begins to send, or goes on with. KEYS: uploads, contents.
-- ARGV: its field, its size, the owner, most that the owner may have here (0: no limit).
-- Answers {'open', count} where that many are being built and checked, or {'noted', …}: the fields of
-- those that are given up for it, the longest untouched first.
local now, suffix = now_us(), ' ' .. ARGV[3]
local open, idle, gone = 0, {}, {}
local all = redis.call('HGETALL', KEYS[1])
for i = 1, #all, 2 do
  local field = all[i]
  if field ~= ARGV[1] and string.sub(field, -#suffix) == suffix then
    if is_open(redis.call('HGET', KEYS[2], field)) then
      open = open + 1
    else
      idle[#idle + 1] = { field, tonumber(string.match(all[i + 1], '%d+$')) }
    end
  elseif field == ARGV[1] and string.match(all[i + 1], '^%d+') ~= ARGV[2] then
    gone[1] = field  -- begun with another size: one of the two is wrong
  end
end
local most = tonumber(ARGV[4])
if most > 0 then
  if open >= most then
    return { 'open', open }
  end
  table.sort(idle, function(a, b) return a[2] < b[2] end)
  for i = 1, open + #idle + 1 - most do
    gone[#gone + 1] = idle[i][1]
  end
end
for _, field in ipairs(gone) do
  redis.call('HDEL', KEYS[1], field)
end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2] .. ' ' .. string.format('%.0f', now))
return { 'noted', unpack(gone) }
