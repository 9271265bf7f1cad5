/**
 * Where the dashboard's built files are: in the published package, or in a checkout's cache. Two folders up, both here
 * and in the published package, which joins modules (scripts/pack).
 */
export const builtFolders: ReadonlyArray<URL> = [
  new URL("../../dashboard/", import.meta.url),
  new URL("../../node_modules/.cache/dashboard/", import.meta.url)
]
