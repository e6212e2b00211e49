/** What starting costs when there is nothing to start. */
export const handler = async () => ({ statusCode: 200 });
