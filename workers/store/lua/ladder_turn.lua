-- Ends a ladder's day and may begin another. The tournament of the day that ends gets no more
-- matches; it is over when its last one is recorded. KEYS: ladder, days, the ending day's tournament,
-- the new one, tournaments, folded, topup. ARGV: the ending day ('': none), the ladder's state from
-- now on, the new day ('': none), folded, its number, then fields and values of its tournament.
-- Answers 'turned', 'moved' (it is another day's turn), or 'taken' (the new day's name is).
local ladder = redis.call('HMGET', KEYS[1], 'state', 'day')
local ends, begins = ARGV[1], ARGV[3]
if ladder[1] ~= 'running' or ladder[2] ~= ends then
  return 'moved'
end
if begins ~= '' and redis.call('HEXISTS', KEYS[6], ARGV[4]) == 1 then
  return 'taken'
end
local now = now_ms()
redis.call('HSET', KEYS[1], 'state', ARGV[2], 'day', begins, 'day_number', ARGV[5])
if ends ~= '' then
  redis.call('HSET', KEYS[1], 'before', ends)
  redis.call('HSET', KEYS[3], 'total', redis.call('HGET', KEYS[3], 'next'))
  counted(KEYS[3], KEYS[7], now)
end
if begins ~= '' then
  redis.call('HSET', KEYS[6], ARGV[4], begins)
  redis.call('RPUSH', KEYS[2], begins)
  create_tournament(KEYS[4], KEYS[5], KEYS[7], begins, now, { unpack(ARGV, 6) })
end
return 'turned'
