/** The headers of the site's pages. */
import type { RequestHandler } from 'express';
import helmet from 'helmet';
import type { Addresses } from '../description/served.ts';

/** The features of browsers that no page needs. Only the clipboard is left: pages copy to it. */
const NO_PERMISSIONS = [
  'accelerometer',
  'autoplay',
  'camera',
  'display-capture',
  'encrypted-media',
  'fullscreen',
  'geolocation',
  'gyroscope',
  'magnetometer',
  'microphone',
  'midi',
  'payment',
  'picture-in-picture',
  'publickey-credentials-get',
  'screen-wake-lock',
  'usb',
  'xr-spatial-tracking',
]
  .map((feature) => `${feature}=()`)
  .join(', ');

/**
 * Lets a page load what it needs from the service and no more, from nowhere else, use no device, share no
 * window with pages of others, and tell nobody where it links.
 * @param servers Other origins that its scripts may send requests to.
 */
export function pageHeaders(servers: readonly string[] = []): RequestHandler {
  return headersWith({
    ...ONLY_OWN,
    connectSrc: ["'self'", ...servers],
  });
}

/**
 * Returns the headers of the console: those of every page, and Trusted Types without a policy, so that
 * no script can turn a text into code or markup.
 */
export function consoleHeaders(): RequestHandler {
  return headersWith({
    ...ONLY_OWN,
    requireTrustedTypesFor: ["'script'"],
    trustedTypes: ["'none'"],
  });
}

const ONLY_OWN = {
  defaultSrc: ["'none'"],
  connectSrc: ["'self'"],
  imgSrc: ["'self'"],
  scriptSrc: ["'self'"],
  styleSrc: ["'self'"],
  baseUri: ["'none'"],
  formAction: ["'none'"],
  frameAncestors: ["'none'"],
};

function headersWith(directives: Readonly<Record<string, readonly string[]>>): RequestHandler {
  const policy = helmet.contentSecurityPolicy({
    useDefaults: false,
    directives: directives as Record<string, string[]>,
  });
  return (req, res, next) => {
    res.setHeader('Referrer-Policy', 'no-referrer');
    res.setHeader('Cross-Origin-Opener-Policy', 'same-origin');
    res.setHeader('Permissions-Policy', NO_PERMISSIONS);
    policy(req, res, next);
  };
}

/** Returns the origins of the configured servers: the reference sends there what is tried. */
export function originsOf({ production, staging }: Addresses): readonly string[] {
  const servers = [production, staging].flatMap((url) => (url ? [new URL(url).origin] : []));
  return [...new Set(servers)];
}
