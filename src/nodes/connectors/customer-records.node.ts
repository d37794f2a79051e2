import { defineConnector } from './define-connector.ts';
import { hubspotCustomers } from './hubspot-customers.ts';
import { restCustomers } from './rest-customers.ts';
import { salesforceCustomers } from './salesforce-customers.ts';

export const customerRecords = defineConnector({
  type: 'customer_records',
  version: '1.0.0',
  name: 'Customer records',
  description:
    'Creates, reads, updates, deletes and searches customers in HubSpot, Salesforce or your own REST service (rest). first_name, last_name, email, phone and job_title work in both HubSpot and Salesforce; other names are passed through. The result is the response body, or null if it is empty. Failures are those of http_request, with the error message of the service.',
  icon: 'contact',
  keywords: ['crm', 'hubspot', 'salesforce', 'contact', 'customer', 'lead'],
  services: { rest: restCustomers, hubspot: hubspotCustomers, salesforce: salesforceCustomers },
  choose: 'service',
  dataIn: 'data',
  result: 'The response body',
  examples: [
    {
      title: 'Create a customer',
      config: {
        service: 'rest',
        operation: 'create',
        credentials: '{{ secrets.CRM }}',
        data: { name: '{{ input.name }}', email: '{{ input.email }}' },
      },
      input: { name: 'Ada', email: 'ada@example.com' },
      outputs: { out: { id: 'c-17', name: 'Ada', email: 'ada@example.com' } },
    },
    {
      title: 'Find a HubSpot contact',
      config: {
        service: 'hubspot',
        operation: 'search',
        credentials: '{{ secrets.HUBSPOT }}',
        data: { email: '{{ input.email }}', properties: ['email', 'first_name'], limit: 1 },
      },
      input: { email: 'ada@example.com' },
      outputs: {
        out: {
          total: 1,
          results: [{ id: '51', properties: { email: 'ada@example.com', firstname: 'Ada' } }],
        },
      },
    },
    {
      title: 'Update a Salesforce contact',
      config: {
        service: 'salesforce',
        operation: 'update',
        credentials: '{{ secrets.SALESFORCE }}',
        data: { id: '{{ input.contact }}', phone: '{{ input.phone }}', Region__c: 'North' },
        retryPolicy: { maxAttempts: 3, retryConditions: ['rate_limited', 'network'] },
      },
      input: { contact: '003XX0000000001', phone: '+44 20 7946 0000' },
      outputs: { out: null },
    },
  ],
});
