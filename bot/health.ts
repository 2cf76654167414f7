/** `GET /health`, for load balancers: the process is up and answers. */
import type { IncomingMessage, ServerResponse } from 'node:http'

/** True when the request was for this route. */
export function answerHealth(request: IncomingMessage, response: ServerResponse): boolean {
  if (request.method !== 'GET' || request.url !== '/health') return false
  response.writeHead(200, { 'content-type': 'application/json' }).end('{"status":"ok"}')
  return true
}
