-- Put before every script: the store's clock, the keys of one match, the two ends of a match that
-- several scripts bring about, and the beginning of a tournament. Every script runs as one step, so
-- each reads and writes alone.

local function now_ms()
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end

-- The same in microseconds, where an order within one millisecond matters.
local function now_us()
  local time = redis.call('TIME')
  return time[1] * 1000000 + time[2]
end

-- The order in which workers/store/matches.py lists the keys of one match.
local function match_keys()
  return {
    match = KEYS[1], attempts = KEYS[2], tournament = KEYS[3], leases = KEYS[4],
    sent = KEYS[5], due = KEYS[6], sealed = KEYS[7], topup = KEYS[8],
  }
end

-- A match that waits until its tournament goes on is due at this time.
local PARKED = 9007199254740991

-- After something was counted: a tournament without a match left to play is over, every other one
-- asks for the queue to be filled up.
local function counted(tournament, topup, now)
  local t = redis.call('HMGET', tournament, 'id', 'total', 'recorded', 'dead', 'void', 'state')
  if tonumber(t[3]) + tonumber(t[4]) + tonumber(t[5] or 0) >= tonumber(t[2]) then
    if t[6] ~= 'over' then
      redis.call('HSET', tournament, 'state', 'over', 'over_ms', now)
    end
    redis.call('SREM', topup, t[1])
  else
    redis.call('SADD', topup, t[1])
  end
end

-- Counts a match as recorded, dead or void.
local function settle(k, field, now)
  redis.call('HINCRBY', k.tournament, field, 1)
  counted(k.tournament, k.topup, now)
end

-- Marks a match as void: nobody will play it.
local function mark_void(match, cause)
  redis.call('HSET', match, 'state', 'void', 'void_cause', cause)
  redis.call('HDEL', match, 'progress', 'leaving', 'waits_for', 'waits_ms')
end

-- Writes the entry after the head. Whoever calls has seen that the head is still the one before.
local function append(log, head, own_log, seq, text, hash)
  redis.call('XADD', log, seq .. '-0', 'entry', text)
  redis.call('HSET', head, 'seq', seq, 'hash', hash)
  redis.call('RPUSH', own_log, seq)
end

-- Does to the ratings what an entry says, and puts its number into the logs of its bots.
-- `changes`: {{member, base, add = {field = n}}, ...}; KEYS from `first` on are a rating for each,
-- then a bot's log for each.
local function add_changes(changes, rated, first, seq)
  for i, change in ipairs(changes) do
    local rating = KEYS[first - 1 + i]
    redis.call('RPUSH', KEYS[first - 1 + #changes + i], seq)
    if redis.call('SADD', rated, change.member) == 1 then
      redis.call('HSET', rating, 'base', change.base, 'elo', change.base)
    end
    for field, n in pairs(change.add) do
      redis.call('HINCRBY', rating, field, n)
    end
  end
end

-- Causes that another attempt cannot change: they end a match however soon they come.
local LASTING = { replay = true, mismatch = true, refused = true }

-- The limits among a script's arguments, from the n-th on, as workers/store/matches.py has them.
local function limits_at(n)
  return {
    most = tonumber(ARGV[n]), alike = tonumber(ARGV[n + 1]), retry = tonumber(ARGV[n + 2]),
    longest = tonumber(ARGV[n + 3]), after = tonumber(ARGV[n + 4]),
  }
end

-- The wait before attempt n + 1: `limits.retry` doubled each time, `limits.longest` at most.
local function back_off(limits, n)
  return math.min(limits.retry * 2 ^ math.min(n - 1, 20), limits.longest)
end

-- Whether a match is to be given up. `attempts` are its void ones, of which those before `from` no
-- longer count. Too many, or too many alike in a row; and if their cause may pass, also for
-- `limits.after` milliseconds, so that a short trouble of the machine costs no match.
local function given_up(attempts, from, limits, now)
  local first, same, cause = nil, 0, nil
  for i = #attempts, from, -1 do
    local why, when = string.match(attempts[i], '^%S+ (%S+) (%S+)')
    cause = cause or why
    if why ~= cause then
      break
    end
    same, first = same + 1, tonumber(when)
  end
  if same >= limits.alike and (LASTING[cause] or now - first >= limits.after) then
    return true
  end
  if #attempts - from + 1 < limits.most then
    return false
  end
  return now - tonumber(string.match(attempts[from], '(%S+)$')) >= limits.after
end

-- Writes down that an attempt came to nothing.
local function note_attempt(k, fence, cause, now)
  redis.call('RPUSH', k.attempts, fence .. ' ' .. cause .. ' ' .. string.format('%.0f', now))
end

-- Gives a match up: nobody plays it until it is resumed.
local function mark_dead(k, number, now)
  redis.call('HSET', k.match, 'state', 'dead')
  redis.call('ZADD', k.tournament .. ':dead', number, number)
  settle(k, 'dead', now)
end

-- Takes a match from whoever plays it.
local function take_back(k, id)
  redis.call('ZREM', k.leases, id)
  redis.call('ZREM', k.sealed, id)
  redis.call('HDEL', k.match, 'progress')
end

-- Whether a match that was taken back is not to be played again, for its bot was withdrawn or its
-- tournament closed while it was played; it is void then.
local function left(k, now)
  local match = redis.call('HMGET', k.match, 'leaving', 'number')
  if not match[1] then
    return false
  end
  mark_void(k.match, match[1])
  redis.call('ZADD', k.tournament .. ':void', match[2], match[2])
  settle(k, 'void', now)
  return true
end

-- A match waits for a bot that dials in, and no attempt is counted. `waiting`: the bot's set of such
-- matches. Looked at again after `again` ms. Its tournament makes other matches meanwhile.
local function wait_for(k, id, bot, waiting, now, again)
  local number = redis.call('HGET', k.match, 'number')
  redis.call('HSET', k.match, 'state', 'queued', 'waits_for', bot)
  redis.call('HSETNX', k.match, 'waits_ms', string.format('%.0f', now))
  redis.call('ZADD', k.tournament .. ':waiting', number, number)
  redis.call('ZADD', waiting, 'NX', now, id)
  redis.call('ZREM', k.sent, id)
  redis.call('ZADD', k.due, now + again, id)
end

-- A bot that declined to begin a match has begun it, or nobody asks it any more.
local function forget_declines(k)
  redis.call('HDEL', k.match, 'declined_ms')
end

-- What the machine had too little of it has again: a shortage from now on is another one.
local function forget_shortage(k)
  redis.call('HDEL', k.match, 'put_offs', 'put_off_ms', 'put_off_cause')
end

-- How many more matches a bot that dials in may begin now; nil while it is away: offline, or quiet
-- after seats that it did not take. Until it takes one it is asked for one match at a time. `agent`
-- and `held` are its keys; a match `but` does not count.
local function room_of(agent, held, leases, now, but)
  local a = redis.call('HMGET', agent, 'until_ms', 'quiet_until_ms', 'slots', 'declines', 'asked')
  if tonumber(a[1] or 0) <= now or tonumber(a[2] or 0) > now then
    return nil
  end
  local function lasts(match)
    local ends = redis.call('ZSCORE', leases, match)
    return match ~= but and ends and tonumber(ends) > now
  end
  local room = tonumber(a[3])
  for _, match in ipairs(redis.call('ZRANGE', held, 0, -1)) do
    if lasts(match) then
      room = room - 1
    else
      redis.call('ZREM', held, match)
    end
  end
  if a[4] then
    return a[5] and lasts(a[5]) and 0 or math.min(room, 1)
  end
  return room
end

-- A match waits for nobody any more.
local function waits_no_more(k)
  redis.call('HDEL', k.match, 'waits_for', 'waits_ms')
  redis.call('ZREM', k.tournament .. ':waiting', redis.call('HGET', k.match, 'number'))
end

-- Ends an attempt as void: the match waits for another one, or is dead, or void if it is not to be
-- played again. `at_once`: it waits for nothing.
local function void_attempt(k, id, cause, now, limits, at_once)
  local match = redis.call('HMGET', k.match, 'fence', 'forgiven', 'number')
  note_attempt(k, match[1], cause, now)
  forget_declines(k)
  if cause ~= redis.call('HGET', k.match, 'put_off_cause') then
    forget_shortage(k)
  end
  take_back(k, id)
  if left(k, now) then
    return 'void'
  end
  local attempts = redis.call('LRANGE', k.attempts, 0, -1)
  local from = tonumber(match[2] or 0) + 1
  if given_up(attempts, from, limits, now) then
    mark_dead(k, match[3], now)
    return 'dead'
  end
  redis.call('HSET', k.match, 'state', 'queued')
  local wait = at_once and 0 or back_off(limits, #attempts - from + 1)
  redis.call('ZADD', k.due, now + wait, id)
  return 'queued'
end

-- Puts a new tournament among the others. `fields` are names and values in turn.
local function create_tournament(tournament, tournaments, topup, id, now, fields)
  -- By number of creation: several may be created in one millisecond.
  redis.call('ZADD', tournaments, redis.call('ZCARD', tournaments) + 1, id)
  redis.call('HSET', tournament, 'id', id, 'state', 'running', 'created_ms', now, 'over_ms', 0,
    'next', 0, 'recorded', 0, 'dead', 0, 'void', 0, unpack(fields))
  redis.call('SADD', topup, id)
end

-- Registers a bot or a version of it. `k` are its keys: bot, versions, parents, bots, folded.
-- Answers {'added'}, {'same'} (a version that was there plays again), or {'taken', by}.
local function add_bot(k, name, fold, owner, digest)
  local holder = redis.call('HGET', k[5], fold)
  if holder and holder ~= name then
    return { 'taken', holder }
  end
  local bot = redis.call('HMGET', k[1], 'owner', 'version')
  if bot[1] and bot[1] ~= owner then
    return { 'taken', name }
  end
  if redis.call('HEXISTS', k[3], digest) == 1 then
    redis.call('HSET', k[1], 'version', digest)
    return { 'same' }
  end
  if not bot[1] then
    local now = now_ms()
    redis.call('HSET', k[5], fold, name)
    redis.call('ZADD', k[4], now, name)
    redis.call('HSET', k[1], 'owner', owner, 'added_ms', now)
  end
  redis.call('RPUSH', k[2], digest)
  redis.call('HSET', k[3], digest, bot[2] or '')
  redis.call('HSET', k[1], 'version', digest)
  return { 'added' }
end

-- Whether a submission of this id is neither accepted nor refused. `id` may be false.
local function is_open(id)
  local state = id and redis.call('HGET', 'kb:submission:' .. id, 'state')
  return state and state ~= 'accepted' and state ~= 'refused'
end

-- Why what a submission holds may not have a name: {'name', name} where that stands for other content,
-- {'named', other} where the same content has another name; nil where it may. `names` is the key of
-- the bot's version names, each of which stands for a version, or for the open submission that is to
-- be it. `id` and `version` are what is known of this one, else nil or false; `likely` is the version
-- that it will be, as far as one can tell.
local function misnamed(names, name, id, version, likely)
  if name == '' then
    return nil
  end
  local holder = redis.call('HGET', names, name)
  if holder and holder ~= id and holder ~= (version or likely) then
    return { 'name', name }
  end
  local all = redis.call('HGETALL', names)
  for i = 1, #all, 2 do
    if all[i] ~= name and (all[i + 1] == id or all[i + 1] == version) then
      return { 'named', all[i] }
    end
  end
end
