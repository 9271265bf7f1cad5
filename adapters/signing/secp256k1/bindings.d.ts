/** The package declares nothing for this entry: what it gives is checked where it is loaded. */
declare module "secp256k1/bindings.js" {
  const bindings: unknown
  export default bindings
}
