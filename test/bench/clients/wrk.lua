-- Sends requests as told by the arguments after `--`: method, path, body, and for a path with
-- {id} in it the sequence of ids (where to begin, step, size) and a limit (0: none). Writes what
-- was seen as a line of JSON. The seconds are measured here, because a load that reaches its limit
-- stops early, and wrk would count the seconds that were asked for.

local ffi = require('ffi')
ffi.cdef [[
  typedef struct { long seconds; long nanoseconds; } bench_time;
  int clock_gettime(int clock, bench_time *time);
]]

local MONOTONIC = 1

local function now()
  local time = ffi.new('bench_time')
  ffi.C.clock_gettime(MONOTONIC, time)
  return tonumber(time.seconds) + tonumber(time.nanoseconds) / 1e9
end

local threads = {}

function setup(thread)
  threads[#threads + 1] = thread
end

function init(args)
  local method, path, body = args[1], args[2], args[3]
  local first, step, size = tonumber(args[4]), tonumber(args[5]), tonumber(args[6])
  local limit = tonumber(args[7])
  if body == '' then body = nil end
  -- A request is put together once, and the id cut in where it belongs: wrk and the server share
  -- the processors, and whatever the client takes is missing from what is measured.
  local same = wrk.format(method, path, wrk.headers, body)
  local before, after = same:match('^(.-){id}(.*)$')
  -- Globals: `done` runs elsewhere and reads them through the thread. wrk asks for one request
  -- that it does not send, before it begins.
  used, begun, ended = 0, 0, 0

  function request()
    if used == 1 then begun = now() end
    if limit > 0 and used == limit then
      ended = now()
      wrk.thread:stop()
    end
    used = used + 1
    if before == nil then return same end
    local id = 1 + ((first + used - 1) * step) % size
    return before .. string.format('%d', id) .. after
  end
end

function done(summary, latency)
  local thread = threads[1]
  local errors = summary.errors
  local broken = errors.connect + errors.read + errors.write
  local seconds = summary.duration / 1e6
  local ended = thread:get('ended')
  if ended > 0 then seconds = ended - thread:get('begun') end
  io.write(string.format(
    'RESULT {"answered":%d,"failed":%d,"bytes":%d,"seconds":%f,"p50":%f,"p99":%f,"used":%d}\n',
    summary.requests - errors.status, errors.status + broken, summary.bytes, seconds,
    latency:percentile(50) / 1e3, latency:percentile(99) / 1e3, thread:get('used')
  ))
end
