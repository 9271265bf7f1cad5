/**
 * The operations of the API as types, read off its definition: `client.call("GET /intents/status", { query })` takes and
 * returns what the definition says. Types only: nothing of the definition is in a client's bundle.
 */
import type { Schema } from "effect"
import type { HttpApi, HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import type { TransferApi } from "../endpoints/TransferApi.ts"

type GroupsOf<Api> = Api extends HttpApi.HttpApi<infer _Id, infer Groups> ? Groups : never

type EndpointOf = HttpApiGroup.Endpoints<GroupsOf<typeof TransferApi>>

type NameOf<Endpoint> = Endpoint extends
  { readonly method: infer Method extends string; readonly path: infer Path extends string } ? `${Method} ${Path}`
  : never

/** A method and a path of the API, such as `GET /intents/status`. */
export type Operation = NameOf<EndpointOf>

type EndpointsNamed<Endpoint, Name> = Endpoint extends unknown ? NameOf<Endpoint> extends Name ? Endpoint : never
  : never

/** The definition wraps its schemas in codecs of JSON and of texts. What is inside says how the wire looks. */
type Wire<Codec> = Codec extends { readonly schema: infer Inner } ? Wire<Inner>
  : Codec extends Schema.Top ? Codec["Encoded"]
  : never

type Body<Codec> = [Codec] extends [never] ? unknown : { readonly body: Wire<Codec> }

/** Members of a path or a query, required when one of them is. */
type Members<Name extends string, Codec> = [Codec] extends [never] ? unknown
  : {} extends Wire<Codec> ? { readonly [name in Name]?: Wire<Codec> }
  : { readonly [name in Name]: Wire<Codec> }

/** What an operation is asked with: members of its path, of its query, and its body. */
export type Input<Name extends Operation> = EndpointsNamed<EndpointOf, Name> extends infer Endpoint ?
    & Members<"params", HttpApiEndpoint.Params<Endpoint>>
    & Members<"query", HttpApiEndpoint.Query<Endpoint>>
    & Body<HttpApiEndpoint.Payload<Endpoint>>
  : never

/** What an operation answers with. */
export type Answer<Name extends Operation> = Wire<HttpApiEndpoint.Success<EndpointsNamed<EndpointOf, Name>>>
