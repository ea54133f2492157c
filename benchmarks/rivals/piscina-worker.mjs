export default (n) => n + 1;
