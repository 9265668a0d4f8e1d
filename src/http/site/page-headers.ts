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
  const policy = helmet.contentSecurityPolicy({
    useDefaults: false,
    directives: {
      defaultSrc: ["'none'"],
      connectSrc: ["'self'", ...servers],
      imgSrc: ["'self'"],
      scriptSrc: ["'self'"],
      styleSrc: ["'self'"],
      baseUri: ["'none'"],
      formAction: ["'none'"],
      frameAncestors: ["'none'"],
    },
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
