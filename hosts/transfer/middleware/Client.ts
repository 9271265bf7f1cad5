/** The client of the current request, for handlers with their own limits. */
import { Context } from "effect"
import type { ClientAddress } from "./ClientAddress.ts"

export class Client
  extends Context.Service<Client, { readonly addressOf: ClientAddress }>()("causeway/transfer/Client")
{}
