-- Begins an attempt. ARGV: match, lease ms, limits, how soon a match that waits is looked at again
-- and how long it may wait at most (0: for ever), ms, then the names of its bots that dial in. KEYS:
-- those of the match, then for each such bot: its agent, what it holds, what waits for it.
-- Answers {'claimed', fence, nonces as JSON or ''}, or {why not}: unknown, busy, early (its
-- back-off runs), paused (its tournament is; it waits for that), sealed, done, dead, void; {'waits',
-- bot} where it waits for a bot from now on; {'given up'} where it is dead from now on: by a lease that
-- was over, or because it has waited too long for a bot, since that was last online, or did not take
-- the first of the seats that it has not taken.
local k = match_keys()
local id, lease = ARGV[1], tonumber(ARGV[2])
local now = now_ms()

-- The first bot that is away, or has no slot left; and whether it is away.
local function missing()
  for i = 10, #ARGV do
    local at = 9 + 3 * (i - 10)
    local room = room_of(KEYS[at], KEYS[at + 1], k.leases, now, id)
    if not room or room <= 0 then
      return i, not room
    end
  end
end

local state = redis.call('HGET', k.match, 'state')
if not state then
  return { 'unknown' }
elseif state == 'running' then
  if tonumber(redis.call('ZSCORE', k.leases, id)) > now then
    return { 'busy' }
  end
  local after = void_attempt(k, id, 'lease', now, limits_at(3), true)
  if after ~= 'queued' then
    return { after == 'dead' and 'given up' or after }
  end
elseif state == 'queued' then
  local due = redis.call('ZSCORE', k.due, id)
  if due and tonumber(due) > now then
    return { 'early' }
  end
else
  return { state }
end
if redis.call('HGET', k.tournament, 'state') == 'paused' then
  redis.call('ZREM', k.sent, id)
  redis.call('ZADD', k.due, PARKED, id)
  return { 'paused' }
end
local who, away = missing()
if who then
  local at = 9 + 3 * (who - 10)
  local match = redis.call('HMGET', k.match, 'waits_ms', 'number')
  local agent = redis.call('HMGET', KEYS[at], 'until_ms', 'declined_ms')
  local patience, gone = tonumber(ARGV[9]), tonumber(agent[2] or agent[1] or 0)
  if away and patience > 0 and match[1] and now - math.max(tonumber(match[1]), gone) >= patience then
    waits_no_more(k)
    redis.call('ZREM', KEYS[at + 2], id)
    redis.call('ZREM', k.sent, id)
    redis.call('ZREM', k.due, id)
    local cause = tonumber(agent[1] or 0) > now and 'declined' or 'offline'
    note_attempt(k, redis.call('HGET', k.match, 'fence'), cause, now)
    mark_dead(k, match[2], now)
    return { 'given up' }
  end
  wait_for(k, id, ARGV[who], KEYS[at + 2], now, tonumber(ARGV[8]))
  return { 'waits', ARGV[who] }
end
for i = 10, #ARGV do
  local at = 9 + 3 * (i - 10)
  redis.call('ZADD', KEYS[at + 1], now, id)
  redis.call('ZREM', KEYS[at + 2], id)
  if redis.call('HEXISTS', KEYS[at], 'declines') == 1 then
    redis.call('HSET', KEYS[at], 'asked', id)
  end
end
waits_no_more(k)
local fence = redis.call('HINCRBY', k.match, 'fence', 1)
redis.call('HSET', k.match, 'state', 'running', 'started_ms', now)
redis.call('HDEL', k.match, 'resends', 'progress')
redis.call('ZADD', k.leases, now + lease, id)
redis.call('ZREM', k.sent, id)
redis.call('ZREM', k.due, id)
return { 'claimed', fence, redis.call('HGET', k.match, 'nonces') or '' }
