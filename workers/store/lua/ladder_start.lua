-- Starts a ladder, a new one or one that was stopped. KEYS: ladder, ladders, folded.
-- ARGV: name, folded name, then fields and values of its terms; none: they stay as they were.
-- Answers 'started', 'running' (it was before), 'unknown' (new, and no terms), or 'taken <by>'.
local holder = redis.call('HGET', KEYS[3], ARGV[2])
if holder and holder ~= ARGV[1] then
  return 'taken ' .. holder
end
local state = redis.call('HGET', KEYS[1], 'state')
if state == 'running' then
  return 'running'
elseif not state then
  if #ARGV < 3 then
    return 'unknown'
  end
  redis.call('HSET', KEYS[3], ARGV[2], ARGV[1])
  redis.call('ZADD', KEYS[2], redis.call('ZCARD', KEYS[2]) + 1, ARGV[1])
  redis.call('HSET', KEYS[1], 'created_ms', now_ms(), 'day', '', 'before', '', 'day_number', 0,
    'made', 0)
end
redis.call('HSET', KEYS[1], 'state', 'running', unpack(ARGV, 3))
return 'started'
