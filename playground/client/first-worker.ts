/**
 * Starts the worker while the page is still read, because its files are most of what the page needs. It is a script of its own, which
 * waits for neither the page nor the styles.
 */

export interface StartedWorker {
  readonly worker: Worker
  /** Why it ended, or could not be started; waits as long as it runs. */
  readonly broken: Promise<string>
}

let first: StartedWorker | undefined = started()

/** The worker that was started with the page, and after that a new one each time. */
export function nextWorker(): StartedWorker {
  const next = first ?? started()
  first = undefined
  return next
}

function started(): StartedWorker {
  const file = document.querySelector<HTMLLinkElement>('link[data-worker]')
  const worker = new Worker(file?.href ?? '', { type: 'module' })
  const broken = new Promise<string>(resolve => {
    worker.addEventListener('error', ({ message }) => resolve(message), { once: true })
  })
  return { worker, broken }
}
