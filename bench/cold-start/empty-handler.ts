/** A function without imports. It shows the cost of a start itself. */
export const handler = async () => ({ statusCode: 200 });
