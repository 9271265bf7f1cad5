/** The package declares no types for this entry. The values are checked where it is loaded. */
declare module "secp256k1/bindings.js" {
  const bindings: unknown
  export default bindings
}
