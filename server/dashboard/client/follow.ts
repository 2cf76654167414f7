/** Follows an analysis's events, adds them to the log, and says so when the server is gone. */
type ShowResult = (result: Document) => void

const lost = 'Connection to the server lost; reconnecting. What is shown stays.'
const forgotten =
  'The server restarted and no longer knows this analysis. The sizes tried so far stay here; start again for the rest.'
const unreachable =
  'The analysis has finished, but the server cannot be reached for the result. Reload the page to try again.'

export function followAnalysis(part: HTMLElement, showResult: ShowResult): void {
  for (const section of part.querySelectorAll<HTMLElement>('[data-events]')) follow(section, showResult)
}

function follow(section: HTMLElement, showResult: ShowResult): void {
  const log = section.querySelector('.log ol')
  const status = section.querySelector('[data-status]')
  if (log === null || status === null) return
  const working = status.textContent ?? ''
  const say = (text: string, isBad: boolean) => {
    status.textContent = text
    section.classList.toggle('broken', isBad)
  }

  const events = new EventSource(section.dataset.events ?? '')
  // The stream repeats what the page already shows.
  events.addEventListener('open', () => log.replaceChildren(), { once: true })
  events.addEventListener('open', () => say(working, false))
  events.addEventListener('line', ({ data }) => addLine(log, data))
  events.addEventListener('end', ({ data }) => {
    events.close()
    addLine(log, data)
    fetchPage().then(showResult, () => say(unreachable, true))
  })
  events.addEventListener('error', () => {
    const isFinal = events.readyState === EventSource.CLOSED
    say(isFinal ? forgotten : lost, true)
    if (isFinal) section.querySelector('[data-while-running]')?.remove()
    else void showIfEnded(events, showResult)
  })
}

function addLine(log: Element, text: string): void {
  const line = document.createElement('li')
  line.textContent = text
  log.append(line)
  // scrollIntoView would move the page for a reader who looks elsewhere.
  const box = log.parentElement
  box?.scrollTo(0, box.scrollHeight)
}

/** Checks the page itself, in case a proxy blocks the event stream. */
async function showIfEnded(events: EventSource, showResult: ShowResult): Promise<void> {
  const page = await fetchPage().catch(() => undefined)
  const isOver = page !== undefined && page.querySelector('[data-events]') === null
  if (!isOver || events.readyState === EventSource.CLOSED) return
  events.close()
  showResult(page)
}

async function fetchPage(): Promise<Document> {
  const answer = await fetch(location.href)
  if (!answer.ok) throw new Error(answer.statusText)
  return new DOMParser().parseFromString(await answer.text(), 'text/html')
}
