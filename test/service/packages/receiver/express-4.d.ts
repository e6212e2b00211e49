/** Express 4 beside Express 5. What the tests use has the same types in both. */
declare module 'express-4' {
  import express from 'express';
  export default express;
}
