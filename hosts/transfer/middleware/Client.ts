/** Whose request is being answered, for handlers that limit by it. */
import { Context } from "effect"
import type { ClientAddress } from "./ClientAddress.ts"

export class Client
  extends Context.Service<Client, { readonly addressOf: ClientAddress }>()("causeway/transfer/Client")
{}
