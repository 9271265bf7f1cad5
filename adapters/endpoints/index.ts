/**
 * `causeway-kit/adapters/endpoints`: how the transfer service reads and writes a chain of any family, one endpoint
 * after the other. A family defines how one endpoint is called.
 */
export { NodeIsBehind } from "./NodeIsBehind.ts"
export {
  type EndpointFamily,
  type EndpointFault,
  type ListedEndpoints,
  makeRotation,
  type Rotation
} from "./Rotation.ts"
