/**
 * An API key of the solver's account on exchange B. Each key has a strict sequence of nonces of its own, so payments
 * are spread over several keys, and each key is an account that pays, as the store and the ports see it.
 */
import type { Address } from "../../../chain/Address.ts"
import { asAddress } from "../../AddressCodec.ts"

/** The key under which its nonces are counted: "1002/4" for API key 4 of account 1002. */
export const laneOf = (account: bigint, apiKey: bigint): Address => asAddress(`${account}/${apiKey}`)
