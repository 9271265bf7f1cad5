/** The errors that any route with a body may answer before the body is read, declared for documents and clients. */
import { Schema } from "effect"

export class BodyTooLarge extends Schema.Error<BodyTooLarge>("BodyTooLarge")({
  _tag: Schema.tagDefaultOmit("BodyTooLarge"),
  message: Schema.String
}, { httpApiStatus: 413 }) {}

export class UnsupportedMediaType extends Schema.Error<UnsupportedMediaType>("UnsupportedMediaType")({
  _tag: Schema.tagDefaultOmit("UnsupportedMediaType"),
  message: Schema.String
}, { httpApiStatus: 415 }) {}
