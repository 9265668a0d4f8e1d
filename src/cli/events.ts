import { Option } from 'commander';
import { EVENT_TYPES } from '../app/log/recorded-event.ts';
import type { EventType, OrderEvent, StoreOrders } from '../client/client.ts';
import { MAX_PAGE_ITEMS } from '../client/paged.ts';
import type { ExplainedCommand } from './shared/command.ts';
import type { CommandLine } from './shared/command-line.ts';
import { eventLine } from './shared/event-words.ts';
import { interruptible, untilStopped } from './shared/interrupt.ts';
import { readPosition, wholeNumber } from './shared/options.ts';
import { onOneLine, print, say } from './shared/print.ts';
import { type JsonOption, jsonLine, withJson } from './shared/results.ts';
import { callService, SERVICE_NOTES, type ServiceOptions, withService } from './shared/service.ts';

const MAX_EVENTS = 999_999_999;

interface EventsOptions extends ServiceOptions, JsonOption {
  readonly after?: string;
  readonly type?: EventType;
  readonly commandId?: string;
  readonly limit?: number;
  readonly follow?: true;
}

/** Defines `events`: prints the events of a service, and goes on as they are recorded. */
export function define(command: ExplainedCommand, commandLine: CommandLine): void {
  withJson(withService(command), 'one a line: CloudEvents')
    .option('--after <position>', 'begin after this position of the log', readPosition)
    .addOption(new Option('--type <type>', 'events of this type').choices(EVENT_TYPES))
    .option('--command-id <id>', 'events of this command, or of the request with this id')
    .option('--limit <count>', 'at most this many', wholeNumber(1, MAX_EVENTS))
    .option('--follow', 'go on with new events as they are recorded, until Ctrl-C')
    .explain(`The key needs the scope audit:read.\n${SERVICE_NOTES}`)
    .example('Watch what happens', 'events --follow')
    .example(
      'Print the cancellations after position 100',
      'events --after 100 --type OrderCancelled',
    )
    .action((options: EventsOptions) => printEvents(options, commandLine));
}

async function printEvents(options: EventsOptions, commandLine: CommandLine): Promise<void> {
  const { stdout, stderr } = commandLine.terminal;
  const { after, type, commandId, limit = Infinity, follow, json } = options;
  const query = { after, type, commandId };
  const interrupted = (error: Error) => say(stderr, `Interrupted: ${onOneLine(error.message)}\n`);
  const eventsOf = ({ events }: StoreOrders, signal: AbortSignal) =>
    follow
      ? events.follow({ ...query, signal, onInterrupt: interrupted })
      : events.list({ ...query, limit: Math.min(limit, MAX_PAGE_ITEMS) }, { signal });
  const run = follow ? untilStopped : interruptible;
  await run((signal) =>
    callService(options, commandLine, async (service) => {
      const lines = atMost(limit, eventsOf(service, signal), json ? jsonLine : lineOf);
      await print(lines, stdout, signal);
    }),
  );
}

async function* atMost(
  limit: number,
  events: AsyncIterable<OrderEvent>,
  toLine: (event: OrderEvent) => string,
) {
  let left = limit;
  for await (const event of events) {
    yield toLine(event);
    left -= 1;
    if (left === 0) return;
  }
}

function lineOf({ position, time, keyname, by, type, data }: OrderEvent): string {
  return `${eventLine(position, time, keyname ?? by, type, data)}\n`;
}
