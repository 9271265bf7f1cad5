/**
 * Keeps a keyboard's place when what has the focus leaves the page, such as a row with its button: the heading of its
 * section gets the focus, or the page's. A browser would begin again at the top of the document.
 */

/** Watches a page. Returns what stops it. */
export const keepFocus = (root: HTMLElement): () => void => {
  let last: { readonly element: Element; readonly section: Element | null } | undefined
  const remember = ({ target }: FocusEvent) => {
    if (target instanceof Element) last = { element: target, section: target.closest("section") }
  }
  const observer = new MutationObserver(() => {
    if (last === undefined || last.element.isConnected || document.activeElement !== document.body) return
    const within = last.section?.isConnected === true ? last.section : root
    // A reader with a mouse stays where the page is scrolled to.
    within.querySelector<HTMLElement>("h1, h2")?.focus({ preventScroll: true })
  })
  root.addEventListener("focusin", remember)
  observer.observe(root, { childList: true, subtree: true })
  return () => {
    root.removeEventListener("focusin", remember)
    observer.disconnect()
  }
}
