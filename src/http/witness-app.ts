/** The HTTP interface of a witness: C2SP tlog-witness, without its optional parts. */
import { isUtf8 } from 'node:buffer';
import type { IRoute, Response } from 'express';
import type { Logger } from 'pino';
import type { Refused } from '../app/audit/witness/submitted-checkpoint.ts';
import type { Witness, WitnessAnswer } from '../app/audit/witness/witness.ts';
import { addCommonHeaders } from './answers/common-headers.ts';
import { ApiError, type ErrorCode } from './api-error.ts';
import { handleErrors } from './error-handler.ts';
import { type App, answering, exactExpress } from './exact-express.ts';
import type { Health } from './health.ts';
import { RequestLog } from './request-log.ts';
import { RequestMetrics } from './request-metrics.ts';
import { readBody } from './requests/body.ts';
import { LONGEST_BODY_BYTES } from './requests/intake.ts';
import { NetworkLimit } from './requests/network-limit.ts';
import { allowOnly } from './routing.ts';

export interface WitnessAppParts {
  readonly witness: Pick<Witness, 'add' | 'checkpointOf'>;
  readonly logger: Logger;
  readonly health: Health;
  /** The submissions of one network at once, and in each minute after that. */
  readonly perMinute: number;
}

/** Returns the HTTP interface of a witness. */
export function createWitnessApp({ witness, logger, health, perMinute }: WitnessAppParts): App {
  const app = exactExpress();
  addCommonHeaders(app);
  const submissions = new NetworkLimit(perMinute);

  app.use(health.admit);
  const add = app.route('/add-checkpoint').post(async (req, res) => {
    const waitS = submissions.count(req);
    if (waitS > 0) {
      res.setHeader('Retry-After', String(waitS));
      throw new ApiError('rate_limited', 'Too many submissions: try again after Retry-After.');
    }
    // 63 hashes, and 16 signatures of 5 kB each, which every verifier must accept, are shorter.
    const body = (await readBody(req, res, LONGEST_BODY_BYTES)) ?? Buffer.of();
    if (!isUtf8(body)) throw new ApiError('invalid_request', 'The body is not UTF-8.');
    const answer = witness.add(body.toString());
    note(answer, logger);
    send(res, answer);
  });
  allowOnly(add as IRoute, ['post']);
  // Express's types take a pattern for a string.
  const pattern = /^\/(?<hash>[0-9a-f]{64})\/checkpoint$/ as unknown as string;
  const monitored = app.route(pattern).get((req, res) => {
    const checkpoint = witness.checkpointOf((req.params as { readonly hash: string }).hash);
    if (checkpoint === undefined) {
      throw new ApiError('not_found', 'This witness has cosigned no checkpoint of such a log.');
    }
    res.setHeader('Cache-Control', 'no-cache').type('text/plain').send(checkpoint);
  });
  allowOnly(monitored, ['get']);
  app.use(() => {
    throw new ApiError('not_found');
  });
  const answerError = handleErrors(
    ({ message }) => logger.error({ cause: message }, 'the memory of the witness is damaged'),
    () => {},
  );
  app.use(answerError);
  return answering(app, new RequestLog(logger, new RequestMetrics()), answerError);
}

/**
 * Logs a checkpoint that its log has signed and that is inconsistent, beside the one that it contradicts.
 * With their signatures, the two may be a proof against the log.
 */
function note(answer: WitnessAnswer, logger: Logger): void {
  if (answer.kind !== 'refused' || answer.fault !== 'inconsistent') return;
  const { reason, checkpoint, cosigned } = answer;
  const about = { reason, checkpoint, cosigned };
  logger.warn(about, 'a log has submitted a checkpoint that is not consistent');
}

const STATUSES: Readonly<Record<Refused['fault'], readonly [ErrorCode, number]>> = {
  malformed: ['invalid_request', 400],
  unsigned: ['invalid_request', 403],
  unknown_log: ['not_found', 404],
  inconsistent: ['invalid_request', 422],
};

function send(res: Response, answer: WitnessAnswer): void {
  switch (answer.kind) {
    case 'cosigned':
      res.type('text/plain').send(answer.line);
      return;
    case 'conflict':
      // Express would add a charset, which is not in the specification.
      res.status(409).setHeader('Content-Type', 'text/x.tlog.size').end(`${answer.size}\n`);
      return;
    case 'refused': {
      const [code, status] = STATUSES[answer.fault];
      throw new ApiError(code, `${answer.reason}.`, status);
    }
  }
}
