/** Loads parts that were not ready when the server sent the page. */
export function loadLater(part: HTMLElement): void {
  for (const place of part.querySelectorAll<HTMLElement>('[data-load]')) {
    // The placeholder stays if the server does not answer.
    load(place).catch(() => undefined)
  }
}

async function load(place: HTMLElement): Promise<void> {
  const answer = await fetch(place.dataset.load ?? '')
  if (!answer.ok) return
  const loaded = new DOMParser().parseFromString(await answer.text(), 'text/html')
  place.replaceWith(...loaded.body.childNodes)
}
