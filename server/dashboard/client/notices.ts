/** A message that has been read can be put away. */
export function letDismiss(part: HTMLElement): void {
  for (const notice of part.querySelectorAll<HTMLElement>('[data-dismissible]')) {
    const button = document.createElement('button')
    button.type = 'button'
    button.className = 'secondary dismiss'
    button.textContent = 'Dismiss'
    button.addEventListener('click', () => {
      notice.remove()
      document.querySelector<HTMLElement>('main h1')?.focus()
    })
    notice.append(button)
  }
}
