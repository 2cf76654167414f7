/** The icon of the pages, as SVG. */
export const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="3" fill="#0a0a0a"/><path d="M3 9h3v4H3z" fill="#f44"/><path d="M7 3h3v10H7zM11 6h2v7h-2z" fill="#0f8"/></svg>`
