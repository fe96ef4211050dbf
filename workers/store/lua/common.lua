-- Put before every script: the store's clock, the keys of one match, and the two ends of a match
-- that several scripts bring about. Every script runs as one step, so each reads and writes alone.

local function now_ms()
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end

-- The order in which workers/store/matches.py lists the keys of one match.
local function match_keys()
  return {
    match = KEYS[1], attempts = KEYS[2], tournament = KEYS[3], leases = KEYS[4],
    sent = KEYS[5], due = KEYS[6], sealed = KEYS[7], topup = KEYS[8],
  }
end

-- Counts a match as recorded or dead; the last one ends its tournament, every other one asks for
-- the queue to be filled up.
local function settle(k, field, now)
  redis.call('HINCRBY', k.tournament, field, 1)
  local t = redis.call('HMGET', k.tournament, 'id', 'total', 'recorded', 'dead')
  if tonumber(t[3]) + tonumber(t[4]) >= tonumber(t[2]) then
    redis.call('HSET', k.tournament, 'state', 'over', 'over_ms', now)
    redis.call('SREM', k.topup, t[1])
  else
    redis.call('SADD', k.topup, t[1])
  end
end

-- Ends an attempt as void: the match waits for another one, or is dead after too many. `retry` is
-- the first back-off in milliseconds; it doubles with each attempt, up to 64 times.
local function void_attempt(k, id, cause, now, most, alike, retry)
  local fence = redis.call('HGET', k.match, 'fence')
  local count = redis.call('RPUSH', k.attempts, fence .. ' ' .. cause .. ' ' .. now)
  redis.call('ZREM', k.leases, id)
  redis.call('ZREM', k.sealed, id)
  redis.call('HDEL', k.match, 'progress')
  local last = redis.call('LRANGE', k.attempts, -alike, -1)
  local same = #last == alike
  for _, attempt in ipairs(last) do
    same = same and string.match(attempt, '^%S+ (%S+)') == cause
  end
  if same or count >= most then
    redis.call('HSET', k.match, 'state', 'dead')
    settle(k, 'dead', now)
    return 'dead'
  end
  redis.call('HSET', k.match, 'state', 'queued')
  redis.call('ZADD', k.due, now + retry * 2 ^ math.min(count - 1, 6), id)
  return 'queued'
end
