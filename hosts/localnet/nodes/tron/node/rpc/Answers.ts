/** The answers of a part of the HTTP interface, by the last segment of the path. */
export type Asked = Readonly<Record<string, unknown>>
export type Answers = Readonly<Record<string, (asked: Asked) => unknown>>
