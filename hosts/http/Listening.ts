/** Says where a host listens, once it does. */
import { Effect, Layer } from "effect"
import { HttpServer } from "effect/http"

export const withListening = <A, E, R>(served: Layer.Layer<A, E, R>): Layer.Layer<A, E, R | HttpServer.HttpServer> =>
  Layer.provideMerge(
    Layer.effectDiscard(HttpServer.addressFormattedWith((address) => Effect.logInfo(`listening on ${address}`))),
    served
  )
