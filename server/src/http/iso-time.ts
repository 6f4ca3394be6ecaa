// Converts times of the store to ISO 8601, the format of the API.

export const isoTime = (time: number | null) => (time === null ? null : new Date(time).toISOString());
