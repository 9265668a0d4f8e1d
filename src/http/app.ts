/** The HTTP interface: the routes, the steps of every request, and the error handler. */
import type { Express, Request, RequestHandler } from 'express';
import type { Logger } from 'pino';
import type { RefusalRecorder } from '../app/audit/trail/refusal-recorder.ts';
import { CLOCKS } from '../app/clock.ts';
import type { Authenticator } from '../app/keys/authenticator.ts';
import type { KeyLimiter } from '../app/keys/key-limiter.ts';
import type { WitnessStatus } from '../app/witnessing/witness-progress.ts';
import { refusedAs } from './answers/checkpoint.ts';
import { addCommonHeaders } from './answers/common-headers.ts';
import { type FixedAnswer, fixedAnswer, lazily } from './answers/fixed-answer.ts';
import { ApiError, type ErrorCode } from './api-error.ts';
import { type Addresses, serveDescriptions } from './description/served.ts';
import { handleErrors } from './error-handler.ts';
import { type App, answering, exactExpress } from './exact-express.ts';
import type { Health } from './health.ts';
import { type PrintMetrics, serveMetrics } from './metrics.ts';
import { V1, type V1Services } from './operations/v1.ts';
import { V2, type V2Services } from './operations/v2.ts';
import { refusedAttempt } from './refused-attempt.ts';
import { RequestLog } from './request-log.ts';
import { RequestMetrics } from './request-metrics.ts';
import { RequestSpans, registeredTracer } from './request-spans.ts';
import { authenticate } from './requests/authentication.ts';
import { crossOrigin } from './requests/cross-origin.ts';
import type { NetworkLimit } from './requests/network-limit.ts';
import { allowOnly, routesOf, serveFixed, serveOperations } from './routing.ts';
import { serveConsole } from './site/console.ts';
import { serveNotFound } from './site/not-found.ts';
import { servePages } from './site/served.ts';
import { SlowRequests } from './slow-requests.ts';
import { type ServedTiles, serveTlog } from './tlog.ts';

export interface AppParts {
  readonly logger: Logger;
  readonly health: Health;
  /** Called when a request fails because the store is damaged. */
  readonly damaged: (cause: Error) => void;
  readonly authenticator: Authenticator;
  readonly limiter: KeyLimiter;
  /** The services that the operations use. */
  readonly services: V1Services & V2Services;
  /** The duration from which a request is logged as slow, in milliseconds; 0 or absent: none is. */
  readonly slowRequestMs?: number;
  readonly requestMetrics?: Pick<RequestMetrics, 'observe'>;
  /** Absent if `/metrics` is not served. */
  readonly printMetrics?: PrintMetrics;
  /** Records refusals for auditors. */
  readonly refusals: Pick<RefusalRecorder, 'note'>;
  readonly addresses: Addresses;
  /** The origins whose pages may call the API from a browser. */
  readonly corsOrigins: readonly string[];
  /** True if the web console is served; default false. */
  readonly servesConsole?: boolean;
  /** Absent if the log's tiles are not served. */
  readonly tiles?: ServedTiles | undefined;
  /** Returns the states of the log's witnesses; absent if it has none. */
  readonly witnesses?: (() => readonly WitnessStatus[]) | undefined;
  /** Limits requests without a valid key; absent if they are not limited. */
  readonly failures?: NetworkLimit | undefined;
  /** The proxies whose X-Forwarded-For is trusted. */
  readonly trustedProxies?: readonly string[];
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

/** Returns the HTTP interface: all routes of the service, and the one error handler. */
export function createApp(parts: AppParts): App {
  const { logger, health, services, corsOrigins, trustedProxies = [], now = CLOCKS.wall } = parts;
  const { requestMetrics = new RequestMetrics(), printMetrics, slowRequestMs = 0 } = parts;
  const app = exactExpress();
  app.set('trust proxy', trustedProxies);
  addCommonHeaders(app);
  if (corsOrigins.length > 0) app.use(crossOrigin(corsOrigins));
  const { authenticator } = parts;
  const gateTo = (admit: RequestHandler, by: Pick<Authenticator, 'authenticate'> = authenticator) =>
    authenticate(by, parts.limiter, admit, parts.failures);
  const gate = gateTo(health.admit);
  const { refusals, damaged } = parts;
  const noteRefused = (req: Request, code: ErrorCode) => {
    const refused = refusedAttempt(req, code);
    if (refused !== undefined) refusals.note(refused);
  };
  const answerError = handleErrors(damaged, noteRefused, (req) => health.refusal(req));
  serveOperations(app, '/v1', V1, services, { gate, answerError, now });
  serveOperations(app, '/v2', V2, services, { gate, answerError, now });
  serveDescriptions(app, parts.addresses);
  servePages(app, parts.addresses, parts.servesConsole);
  if (parts.servesConsole) serveConsole(app);
  if (parts.tiles !== undefined) serveTlog(app, services, parts.tiles, gate, health.admit);
  serveFixed(
    app,
    '/public-key',
    lazily(() => keyFile(services)),
  );
  // Metrics are needed most while the service cannot serve.
  const anyway = { authenticate: (text: string) => authenticator.authenticateAnyway(text) };
  const keyAlone = gateTo((_req, _res, next) => next(), anyway);
  if (printMetrics !== undefined) serveMetrics(app, keyAlone, printMetrics);
  probe(app, '/livez', () => ({ status: 'ok' }));
  probe(app, '/readyz', () => readiness(health, parts.witnesses));

  serveNotFound(app, parts.servesConsole);
  app.use(() => {
    throw new ApiError('not_found');
  });
  app.use(answerError);

  const slow = new SlowRequests(logger, slowRequestMs);
  const requestLog = new RequestLog(logger, requestMetrics, slow, spans());
  return answering(app, requestLog, answerError);
}

/** Returns the recorder of spans; undefined without an OpenTelemetry SDK. */
function spans(): RequestSpans | undefined {
  const tracer = registeredTracer();
  const routes = [...routesOf('/v1', V1), ...routesOf('/v2', V2)];
  return tracer && new RequestSpans(tracer, new Map(routes));
}

async function keyFile({ prover }: V1Services): Promise<FixedAnswer> {
  const key = await (async () => prover.verifierKey)().catch(refusedAs('not_found'));
  return fixedAnswer('txt', `${key}\n`);
}

/** Serves the state of the service, without a key. */
function probe(app: Express, path: string, state: () => object): void {
  const route = app.route(path).get((_req, res) => {
    res.setHeader('Cache-Control', 'no-store').json(state());
  });
  allowOnly(route, ['get']);
}

/**
 * Returns the readiness of the service. Witnesses have no part in it, but their lag is shown: without
 * the sizes, which are for those who may read the log.
 */
function readiness(health: Health, witnesses: AppParts['witnesses']): object {
  const ready = health.requireReady();
  if (witnesses === undefined) return ready;
  const shown = witnesses().map(({ name, outcome = 'none', lagMs }) => {
    return { name, outcome, lagSeconds: Math.round(lagMs / 1_000) };
  });
  return { ...ready, witnesses: shown };
}
