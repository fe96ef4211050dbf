-- Takes a bot out of a tournament: its matches that are not begun are void; those in play and those
-- played are finished and count. KEYS: tournament, topup, sent, due, its dead, its void, log, head,
-- the tournament's log. ARGV: id, bot, prefix of match keys, numbers of the bot's matches as JSON,
-- head the entry was made for, number, text and hash of the entry.
-- Answers 'withdrawn', 'again' (it was before), 'over', or 'moved' (make the entry again).
local t = redis.call('HMGET', KEYS[1], 'state', 'next', 'withdrawn')
local next, names = tonumber(t[2]), t[3] or ''
if string.find(' ' .. names .. ' ', ' ' .. ARGV[2] .. ' ', 1, true) then
  return 'again'
elseif t[1] == 'closing' or (t[1] == 'over' and redis.call('ZCARD', KEYS[5]) == 0) then
  return 'over'
elseif (redis.call('HGET', KEYS[8], 'hash') or '') ~= ARGV[5] then
  return 'moved'
end
local void = 0
for _, number in ipairs(cjson.decode(ARGV[4])) do
  local id = ARGV[1] .. '.' .. number
  local match = ARGV[3] .. id
  local state = number <= next and redis.call('HGET', match, 'state')
  if state == 'running' or state == 'sealed' then
    redis.call('HSET', match, 'leaving', 'withdrawn')
  elseif state ~= 'done' and state ~= 'void' then
    if state then
      mark_void(match, 'withdrawn')
      redis.call('ZREM', KEYS[3], id)
      redis.call('ZREM', KEYS[4], id)
      redis.call('ZREM', KEYS[1] .. ':waiting', number)
    end
    if redis.call('ZREM', KEYS[5], number) == 1 then
      redis.call('HINCRBY', KEYS[1], 'dead', -1)
    end
    void = void + redis.call('ZADD', KEYS[6], number, number)
  end
end
redis.call('HSET', KEYS[1], 'withdrawn', names == '' and ARGV[2] or names .. ' ' .. ARGV[2])
redis.call('HINCRBY', KEYS[1], 'void', void)
append(KEYS[7], KEYS[8], KEYS[9], ARGV[6], ARGV[7], ARGV[8])
redis.call('HINCRBY', KEYS[8], 'notes', 1)
counted(KEYS[1], KEYS[2], now_ms())
return 'withdrawn'
