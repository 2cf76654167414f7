/** Copy buttons, if the browser allows copying. */
const SAID_MILLIS = 2_000

export function offerCopies(part: HTMLElement): void {
  if (!('clipboard' in navigator)) return
  for (const button of part.querySelectorAll<HTMLButtonElement>('[data-copy]')) {
    offer(button, () => document.getElementById(button.dataset.copy ?? '')?.textContent ?? '')
  }
  for (const button of part.querySelectorAll<HTMLButtonElement>('[data-copy-address]')) {
    offer(button, () => location.href)
  }
}

function offer(button: HTMLButtonElement, text: () => string): void {
  const name = button.textContent
  const announcement = document.createElement('span')
  announcement.role = 'status'
  announcement.className = 'unseen'
  button.after(announcement)
  const say = (words: string) => {
    button.textContent = words || name
    announcement.textContent = words
  }
  button.hidden = false
  button.addEventListener('click', async () => {
    const said = await navigator.clipboard.writeText(text()).then(
      () => 'Copied',
      () => 'Not copied: the browser refused',
    )
    say(said)
    setTimeout(() => say(''), SAID_MILLIS)
  })
}
