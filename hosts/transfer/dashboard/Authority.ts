/**
 * What a request from the dashboard may do beyond what anybody may. `Gateway` sets it from the session, for one request
 * and one route; all other requests have none.
 */
import { Context } from "effect"
import type { Address } from "../../../src/domain/chain/Address.ts"

export type GrantedAuthority =
  | { readonly _tag: "None" }
  /** An operator's session, on a route that it may call. */
  | { readonly _tag: "Operator" }
  /** A wallet's session. `administers`: the route is an operator's, and is about a key that the wallet owns. */
  | { readonly _tag: "Wallet"; readonly wallet: Address; readonly administers: boolean }

export const Authority = Context.Reference<GrantedAuthority>("causeway/transfer/Authority", {
  defaultValue: () => ({ _tag: "None" })
})

/** True where the dashboard's session stands in for the admin token. */
export const isAdministrator = (authority: GrantedAuthority): boolean =>
  authority._tag === "Operator" || (authority._tag === "Wallet" && authority.administers)
