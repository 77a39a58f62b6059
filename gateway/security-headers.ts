/** Headers that every reply carries, prepared once as the flat lists that `writeHead` takes. */

const always = [
  "X-Content-Type-Options",
  "nosniff",
  "X-Frame-Options",
  "DENY",
  "Referrer-Policy",
  "no-referrer",
  "Cross-Origin-Resource-Policy",
  "same-origin",
];

const hsts = ["Strict-Transport-Security", "max-age=31536000"];

const api = [
  ...always,
  "Content-Security-Policy",
  "default-src 'none'; frame-ancestors 'none'",
  "Cache-Control",
  "no-store",
];

const page = [
  ...always,
  "Content-Security-Policy",
  "default-src 'self'; img-src 'self' data: blob:; style-src 'self' 'unsafe-inline'; connect-src 'self'; " +
    "object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
];

/** Pages need scripts and styles of their own; the API needs nothing. */
export const securityHeaders = {
  api: { plain: api, secure: [...api, ...hsts] },
  page: { plain: page, secure: [...page, ...hsts] },
} as const;
