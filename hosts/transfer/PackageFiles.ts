/**
 * Files that the transfer host reads beside its modules. All are named here, because the published package joins
 * modules (scripts/pack): two folders up is the root from this folder, in a checkout and in the package.
 */

/** Where the dashboard's built files are: in the published package and the image, or in a checkout's cache. */
export const builtFolders: ReadonlyArray<URL> = [
  new URL("../../dashboard/", import.meta.url),
  new URL("../../node_modules/.cache/dashboard/", import.meta.url)
]

/** The OpenAPI document that GET /openapi.json serves. */
export const openApiFile = new URL("../../docs/openapi.json", import.meta.url)
